-- The best objective after each evaluation.
SELECT row_number() OVER (ORDER BY c.id) AS evaluations, e.objective,
       max(CASE WHEN e.verdict = 'ok' THEN e.objective END) OVER (ORDER BY c.id) AS best
FROM candidate c JOIN evaluation e ON e.candidate_id = c.id
WHERE e.measured ORDER BY c.id;
