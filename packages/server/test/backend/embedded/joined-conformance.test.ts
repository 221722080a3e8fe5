import { describe } from 'vitest'
import { anonymousPurgesConformance } from '../conformance/deletions/anonymous-purges.ts'
import { deletionsConformance } from '../conformance/deletions/deletions.ts'
import { noticesConformance } from '../conformance/deletions/notices.ts'
import { purgesConformance } from '../conformance/deletions/purges.ts'
import { refusedAfterPurgeConformance } from '../conformance/deletions/refused-after-purge.ts'
import { suppressionsConformance } from '../conformance/deletions/suppressions.ts'
import { deliveriesConformance } from '../conformance/deliveries/deliveries.ts'
import { deliveryReportsConformance } from '../conformance/deliveries/delivery-reports.ts'
import { lanesConformance } from '../conformance/deliveries/lanes.ts'
import { quarantineConformance } from '../conformance/deliveries/quarantine.ts'
import { replaysConformance } from '../conformance/deliveries/replays.ts'
import { eventsConformance } from '../conformance/log/events.ts'
import { followedLogConformance } from '../conformance/log/followed-log.ts'
import { logConformance } from '../conformance/log/log.ts'
import { statisticsConformance } from '../conformance/statistics.ts'
import { upkeepConformance } from '../conformance/upkeep.ts'
import { openJoinedHarness } from './open-joined-harness.ts'

// All suites of ports that threads use or whose data they write, except `purgePositionsConformance`: it checks duplicates,
// which lanes never get.
describe.each([1, 3])('with %i threads', (threads) => {
  const open = () => openJoinedHarness(threads)
  logConformance(open, { isOrdered: true })
  followedLogConformance(open)
  eventsConformance(open)
  deliveriesConformance(open)
  lanesConformance(open)
  quarantineConformance(open)
  replaysConformance(open)
  deliveryReportsConformance(open)
  statisticsConformance(open)
  upkeepConformance(open)
  deletionsConformance(open)
  anonymousPurgesConformance(open)
  purgesConformance(open)
  refusedAfterPurgeConformance(open)
  noticesConformance(open)
  suppressionsConformance(open)
})
