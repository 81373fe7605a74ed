-- Why proposals failed, with their share of all.
SELECT verdict, reason, candidates, 1.0 * candidates / (SELECT count(*) FROM candidate) AS share, example
FROM v_failures ORDER BY candidates DESC, verdict, reason;
