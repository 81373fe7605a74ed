-- The elites of the common archive by bin, for archives of two axes; the last axis runs fastest in a cell's number.
WITH bins (n) AS (SELECT count(*) FROM axis_bin WHERE archive = 'passive' AND position = 1)
SELECT r.label AS row, c.label AS col, v.id, v.objective
FROM v_archive v, bins
JOIN axis_bin r ON r.archive = 'passive' AND r.position = 0 AND r.bin = v.cell / bins.n
JOIN axis_bin c ON c.archive = 'passive' AND c.position = 1 AND c.bin = v.cell % bins.n
WHERE v.archive = 'passive' ORDER BY v.cell;
