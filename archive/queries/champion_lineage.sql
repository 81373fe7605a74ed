-- The champion and all its ancestors, oldest first.
WITH RECURSIVE line (id) AS (
  SELECT champion_id FROM stop WHERE champion_id IS NOT NULL
  UNION SELECT p.parent_id FROM parent p JOIN line ON p.candidate_id = line.id)
SELECT c.step || '.' || c.island || '.' || c.slot AS candidate, c.operator, e.verdict, e.objective
FROM line JOIN candidate c ON c.id = line.id JOIN evaluation e ON e.candidate_id = c.id ORDER BY c.id;
