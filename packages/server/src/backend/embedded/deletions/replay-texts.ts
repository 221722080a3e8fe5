import type { DatabaseSync } from 'node:sqlite'

/** Prepares the removal of the search texts of ended replays: they may contain data of any user. */
export function replayTextRemoval(db: DatabaseSync): () => void {
  const forget = db.prepare(
    `UPDATE replays SET document = json_remove(document, '$.selection.text')
     WHERE finished_at IS NOT NULL AND document ->> '$.selection.text' IS NOT NULL`,
  )
  return () => void forget.run()
}
