-- Cost of the jobs of each purpose, over all sessions.
SELECT purpose, sum(jobs) AS jobs, sum(compile_s) AS compile_s, sum(lane_s) AS lane_s, sum(dollars) AS dollars
FROM v_cost GROUP BY purpose ORDER BY lane_s DESC, purpose;
