import { expect, test } from 'vitest'
import { Evaluator } from '../../../src/audiences/evaluation/evaluator.ts'
import { Plans } from '../../../src/audiences/evaluation/plans.ts'
import { newSync } from '../../../src/audiences/syncs/needed-syncs.ts'
import type { Backend } from '../../../src/backend/backend.ts'
import type { Evaluations } from '../../../src/backend/evaluations.ts'
import { openEmbeddedBackend } from '../../../src/backend/embedded/open.ts'
import { Metrics } from '../../../src/telemetry/metrics.ts'
import { NOON } from '@hookline/testing/records/accepted-event'
import { newAudience } from '@hookline/testing/records/catalog-records'
import { ManualClock } from '@hookline/testing/clocks/manual-clock'
import { NO_ACTIVITY } from '@hookline/testing/engine/no-activity'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'

/** Evaluations whose first `load` is followed by another worker's commit of the same profiles, made without a plan. */
function contended({ evaluations }: Backend): Pick<Evaluations, 'due' | 'load' | 'commit'> {
  let isFirst = true
  return {
    due: (now, limit) => evaluations.due(now, limit),
    commit: (evaluated) => evaluations.commit(evaluated),
    load: async (profileIds) => {
      const profiles = await evaluations.load(profileIds)
      const nothing = { results: [], announcements: [], recheckAt: null }
      if (isFirst)
        await evaluations.commit(
          profiles.map(({ profileId, version }) => ({ profileId, version, ...nothing })),
        )
      isFirst = false
      return profiles
    },
  }
}

test('a profile evaluated concurrently with outdated plans is evaluated again for the sync', async () => {
  using folder = new TemporaryFolder()
  await using backend = await openEmbeddedBackend({
    dataDir: folder.path,
    maxWaitingBytes: 2 ** 30,
  })
  const audience = newAudience({ condition: null })
  await backend.profiles.begin(100)
  await backend.catalog.putComputation(audience)
  const context = { open: undefined, last: undefined, now: NOON }
  const sync = newSync(audience, 'requested', context)
  await backend.syncs.put(sync)
  const list = { audienceId: audience.id, space: audience.space }
  await backend.memberships.changeList(list, { add: ['u1', 'u2'], remove: [], at: NOON })
  const plans = new Plans(backend)
  await plans.refresh()
  const parts = { plans, activity: NO_ACTIVITY, metrics: new Metrics(), clock: new ManualClock() }
  const evaluator = new Evaluator({ ...parts, evaluations: contended(backend) as Evaluations })
  expect(await evaluator.evaluateAll([1, 2], sync)).toEqual({ entered: 2, left: 0 })
  expect(await backend.memberships.sizes()).toEqual(new Map([[audience.id, 2]]))
})
