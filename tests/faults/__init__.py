"""Bad nights on one machine: nodes in namespaces of their own, and what befalls them."""
