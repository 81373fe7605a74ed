-- Results of kernels with each value of each knob, most successful values first.
SELECT k.name, k.value, count(*) AS kernels, avg(e.objective) AS mean, max(e.objective) AS best
FROM candidate c JOIN knob k ON k.genome_id = c.genome_id JOIN evaluation e ON e.candidate_id = c.id
WHERE c.outcome = 'kernel' AND e.verdict = 'ok' GROUP BY k.name, k.value ORDER BY k.name, mean DESC, k.value;
