import { newId } from '@hookline/protocol'
import type { Computations } from '../../src/admin/api/admin-deps.ts'
import type { Sync } from '../../src/backend/syncs.ts'
import { NOON } from '../harness/accepted-event.ts'

/** Workers of audiences that have not begun: syncs are requested, and none of them runs. */
export class IdleComputations implements Computations {
  /** Every sync that was requested. */
  readonly requested: Sync[] = []

  async statusesOf(computations: Parameters<Computations['statusesOf']>[0]) {
    return computations.map(({ id, enabled }) => ({
      state: enabled ? ('preparing' as const) : ('disabled' as const),
      reason: null,
      size: 0,
      progress: null,
      sync: this.requested.findLast((each) => each.computationId === id) ?? null,
      lastSync: null,
      reachesBackTo: null,
    }))
  }

  async requestSync(
    ...[computationId, reason]: Parameters<Computations['requestSync']>
  ): Promise<Sync> {
    const sync: Sync = {
      id: newId('syn', NOON),
      computationId,
      reason,
      version: 1,
      destinationIds: [],
      addedDestinationIds: [],
      state: 'waiting',
      createdAt: NOON,
      startedAt: null,
      finishedAt: null,
      looked: 0,
      told: 0,
      entered: 0,
      left: 0,
      missed: 0,
      afterProfile: 0,
      afterUser: '',
      error: null,
    }
    this.requested.push(sync)
    return sync
  }

  async preview(request: Parameters<Computations['preview']>[0]) {
    const value = 'condition' in request || 1
    return { size: 1, isExact: true, sample: [{ userId: 'u1', value }], reachesBackTo: null }
  }

  /** Knows the user u1 only. */
  async explain(...[computation, userId]: Parameters<Computations['explain']>) {
    if (userId !== 'u1') return undefined
    const value = { value: undefined, since: null, changesAt: NOON }
    if (computation.kind === 'trait') return { ...value, events: 0 }
    const clause = { trait: 'plan', op: 'equals', value: 'pro' } as const
    const part = { holds: false, changesAt: null }
    const condition = { ...part, and: [{ ...part, clause, saw: { value: 'free' } }] }
    return { ...value, condition }
  }
}
