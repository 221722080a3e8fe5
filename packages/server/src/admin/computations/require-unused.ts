import type { Audience, Computation, Condition } from '@hookline/protocol'
import type { CatalogSnapshot } from '../../backend/catalog.ts'
import { Problem } from '../problems/problem.ts'

/** So many of the audiences that name a record are shown. */
const MOST_SHOWN = 10

/** Checks that no condition names the record. @throws {Problem} `wrong_state`, which lists the audiences that do */
export function requireUnused(record: Computation, { computations }: CatalogSnapshot): void {
  const users = [...computations.values()].filter(
    (each): each is Audience =>
      each.kind === 'audience' &&
      each.id !== record.id &&
      each.space === record.space &&
      each.condition !== null &&
      doesName(each.condition, record),
  )
  if (users.length === 0) return
  const shown = users.slice(0, MOST_SHOWN).map(({ id, name }) => `${id} (${name})`)
  const more = users.length > MOST_SHOWN ? ` and ${users.length - MOST_SHOWN} more` : ''
  const detail = `The conditions of these audiences name it: ${shown.join(', ')}${more}. Change or remove them first.`
  throw new Problem('wrong_state', { detail })
}

function doesName(condition: Condition, record: Computation): boolean {
  if ('and' in condition) return condition.and.some((each) => doesName(each, record))
  if ('or' in condition) return condition.or.some((each) => doesName(each, record))
  if ('not' in condition) return doesName(condition.not, record)
  if ('audience' in condition) return condition.audience === record.id
  return (
    'computedTrait' in condition &&
    record.kind === 'trait' &&
    condition.computedTrait === record.key
  )
}
