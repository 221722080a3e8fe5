import { DEFAULT_SPACE } from '@hookline/protocol'
import { sql } from 'kysely'
import type { Connection } from '../postgres/postgres.ts'
import { fromText, toText } from '../postgres/text.ts'

/** The spaces of some sources, or all that ever had profiles. That of a source that was removed is no longer known. */
export async function spacesOf(
  connection: Connection,
  sourceIds: readonly string[] | null,
): Promise<readonly string[]> {
  if (sourceIds !== null) return [...new Set((await sourceSpaces(connection, sourceIds)).values())]
  const { rows } = await sql<{ readonly name: string }>`SELECT name FROM spaces`.execute(connection)
  return rows.map(({ name }) => fromText(name))
}

async function sourceSpaces(
  connection: Connection,
  sourceIds: readonly string[],
): Promise<readonly string[]> {
  const { rows } = await sql<{ readonly document: string | null }>`
    SELECT document FROM unnest(${sourceIds.map(toText)}::text[]) AS wanted (id)
    LEFT JOIN catalog ON catalog.id = wanted.id AND kind = 'source'`.execute(connection)
  return rows.map(({ document }) => spaceIn(document) ?? DEFAULT_SPACE)
}

/** The space that a record of the catalog names. In JavaScript: jsonb refuses U+0000, which another property may have. */
export function spaceIn(document: string | null): string | undefined {
  return document === null ? undefined : (JSON.parse(document) as { space?: string }).space
}
