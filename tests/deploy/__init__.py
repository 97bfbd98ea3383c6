"""What deploy/ says is held to what Ray, systemd, Kubernetes and the sandbox say."""
