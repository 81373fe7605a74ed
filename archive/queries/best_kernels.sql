-- The ten best kernels as seen during the search, with their knobs.
SELECT b.id, b.operator, b.objective, b.ci_low, b.ci_high,
       (SELECT group_concat(k.name || '=' || k.value, ' ') FROM knob k WHERE k.genome_id = b.genome_id) AS knobs
FROM v_best b ORDER BY b.objective DESC, b.candidate_id LIMIT 10;
