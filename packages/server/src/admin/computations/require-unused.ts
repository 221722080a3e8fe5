import type { Computation } from '@hookline/protocol'
import { dependenciesOf } from '../../audiences/conditions/references.ts'
import type { CatalogSnapshot } from '../../backend/catalog.ts'
import { Problem } from '../problems/problem.ts'

/** So many of the audiences that name a record are shown. */
const MOST_SHOWN = 10

/** Checks that no condition names the record. @throws {Problem} `wrong_state`, which lists the audiences that do */
export function requireUnused(record: Computation, { computations }: CatalogSnapshot): void {
  const users = [...computations.values()].filter((each) =>
    dependenciesOf(each, computations).includes(record),
  )
  if (users.length === 0) return
  const shown = users.slice(0, MOST_SHOWN).map(({ id, name }) => `${id} (${name})`)
  const more = users.length > MOST_SHOWN ? ` and ${users.length - MOST_SHOWN} more` : ''
  const detail = `The conditions of these audiences name it: ${shown.join(', ')}${more}. Change or remove them first.`
  throw new Problem('wrong_state', { detail })
}
