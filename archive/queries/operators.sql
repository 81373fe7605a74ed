-- Per operator: children, failures, and how often a child beat its best parent.
WITH best_parent AS (
  SELECT p.candidate_id AS id, max(e.objective) AS objective
  FROM parent p JOIN evaluation e ON e.candidate_id = p.parent_id
  WHERE p.role = 'parent' AND e.verdict = 'ok' GROUP BY p.candidate_id)
SELECT c.operator, count(*) AS proposals, sum(c.outcome = 'no_child') AS no_child,
       sum(c.outcome = 'duplicate') AS duplicates, sum(c.outcome = 'kernel' AND e.verdict <> 'ok') AS failed,
       sum(c.outcome = 'kernel' AND e.verdict = 'ok' AND coalesce(e.objective > b.objective, 0)) AS improved
FROM candidate c JOIN evaluation e ON e.candidate_id = c.id LEFT JOIN best_parent b ON b.id = c.id
GROUP BY c.operator ORDER BY proposals DESC, c.operator;
