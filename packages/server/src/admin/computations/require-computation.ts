import type { Computation } from '@hookline/protocol'
import type { Catalog } from '../../backend/catalog.ts'
import { Problem } from '../problems/problem.ts'
import type { ComputationKind } from './computation-kind.ts'

/** The record of this kind with this id. @throws {Problem} `not_found` */
export function requireComputation<T extends Computation>(
  { current }: Pick<Catalog, 'current'>,
  { kind, noun }: Pick<ComputationKind<T>, 'kind' | 'noun'>,
  id: string,
): T {
  const record = current.computations.get(id)
  if (record?.kind === kind) return record as T
  throw new Problem('not_found', { detail: `No ${noun} has this id.` })
}
