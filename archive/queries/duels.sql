-- Challengers that met an incumbent in an island's archive: what became of them, and after which kind of answer.
SELECT status, decision, count(*) AS meetings, avg(bound_low) AS mean_low, avg(bound_high) AS mean_high
FROM archive_event WHERE incumbent_id IS NOT NULL AND archive = 'island'
GROUP BY status, decision ORDER BY meetings DESC, status, decision;
