-- Filled cells of the archive common to all islands, after each step that filled one.
SELECT step_idx, sum(count(*)) OVER (ORDER BY step_idx) AS filled
FROM archive_event WHERE archive = 'passive' AND status = 'new_cell' GROUP BY step_idx ORDER BY step_idx;
