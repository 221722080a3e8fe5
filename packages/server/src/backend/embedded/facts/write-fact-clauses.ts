import type { DatabaseSync } from 'node:sqlite'
import type { FactClause, Keeping } from '../../facts.ts'
import { numberOrNull, type Row } from '../database/rows.ts'
import { profilesPosition } from '../profiles/profiles-state.ts'

export function factClauseOf(row: Row): FactClause {
  return {
    number: Number(row['number']),
    definition: String(row['definition']),
    keeping: { forMs: numberOrNull(row['keep_ms']), most: Number(row['keep_most']) },
    fillThrough: Number(row['fill_through']),
    filledThrough: Number(row['filled_through']),
    reachesBackTo: numberOrNull(row['reaches_back_to']),
  }
}

/** Adds a clause, or widens what is kept of the one with its definition. A wider one is filled again. */
export function putFactClause(
  db: DatabaseSync,
): (clause: {
  readonly definition: string
  readonly keeping: Keeping
  readonly reachesBackTo: number | null
}) => FactClause {
  const select = db.prepare('SELECT * FROM fact_clauses WHERE definition = ?')
  const position = profilesPosition(db)
  const put = db.prepare(
    `INSERT INTO fact_clauses (definition, keep_ms, keep_most, fill_through, filled_through, reaches_back_to)
     VALUES (?, ?, ?, ?, 0, ?)
     ON CONFLICT (definition) DO UPDATE SET keep_ms = excluded.keep_ms, keep_most = excluded.keep_most,
       fill_through = excluded.fill_through, filled_through = 0,
       reaches_back_to = excluded.reaches_back_to
     RETURNING *`,
  )
  return ({ definition, keeping, reachesBackTo }) => {
    const kept = select.get(definition)
    const wanted = kept === undefined ? keeping : wider(keeping, factClauseOf(kept).keeping)
    if (kept !== undefined && isEqual(wanted, factClauseOf(kept).keeping)) return factClauseOf(kept)
    const fillThrough = position() ?? 0
    const { forMs, most } = wanted
    return factClauseOf(put.get(definition, forMs, most, fillThrough, reachesBackTo)!)
  }
}

function wider(a: Keeping, b: Keeping): Keeping {
  const forMs = a.forMs === null || b.forMs === null ? null : Math.max(a.forMs, b.forMs)
  return { forMs, most: Math.max(a.most, b.most) }
}

function isEqual(a: Keeping, b: Keeping): boolean {
  return a.forMs === b.forMs && a.most === b.most
}

/** Removes a clause. Its facts go when they are pruned. */
export function removeFactClause(db: DatabaseSync): (clause: number) => void {
  const remove = db.prepare('DELETE FROM fact_clauses WHERE number = ?')
  return (clause) => {
    remove.run(clause)
  }
}
