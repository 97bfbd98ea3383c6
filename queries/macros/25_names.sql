-- The one name that all rows have; '' where they have several.
CREATE OR REPLACE MACRO only_name(names) AS
    CASE WHEN min(names) = max(names) THEN min(names) ELSE '' END;

-- The items of a sorted list, each once: whatever a test does in several environments.
CREATE OR REPLACE MACRO one_each(sorted) AS
    list_filter(sorted, lambda item, place: place = 1 OR item <> sorted[place - 1]);

-- Words with how often each came, the most frequent first: 'stop 4'. `counts` is their histogram,
-- `blank` what stands for an empty word.
CREATE OR REPLACE MACRO tally(counts, blank) AS
    list_transform(
        list_sort(list_transform(
            map_entries(counts),
            lambda item: {'order': -(item.value::BIGINT), 'word': item.key}
        )),
        lambda item:
            (CASE WHEN item.word = '' THEN blank ELSE item.word END) || ' ' || -item."order"
    );

-- What is the same in messages of failures that only differ by where they happened: without the
-- failing line at the end, addresses, the modules before a call's name, and runs of white space.
CREATE OR REPLACE MACRO plain_message(message) AS
    trim(regexp_replace(regexp_replace(regexp_replace(regexp_replace(
        message,
        '\s*\[[^\[\]]*:\d+\]$', ''),
        '0x[0-9a-fA-F]+', '0x…', 'g'),
        '([A-Za-z_]\w*\.)+([A-Za-z_]\w*\()', '\2', 'g'),
        '\s+', ' ', 'g'));
