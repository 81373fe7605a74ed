-- Challengers of an incumbent in an island's archive: results by decision of the rule or duel.
SELECT status, decision, count(*) AS meetings, avg(bound_low) AS mean_low, avg(bound_high) AS mean_high
FROM archive_event WHERE incumbent_id IS NOT NULL AND archive = 'island'
GROUP BY status, decision ORDER BY meetings DESC, status, decision;
