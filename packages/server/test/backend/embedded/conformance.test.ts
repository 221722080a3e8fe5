import { openEmbeddedBackend } from '../../../src/backend/embedded/open.ts'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'
import { failAuditWrites } from '@hookline/testing/service/fail-audit-writes'
import { type BackendHarness, DEDUPE_WINDOW_MS } from '../conformance/backend-harness.ts'
import { alertStatesConformance } from '../conformance/alert-states.ts'
import { catalogConformance, keyUsesConformance } from '../conformance/catalog.ts'
import { computedEventsConformance } from '../conformance/log/computed-events.ts'
import { decidedDestinationsConformance } from '../conformance/log/decided-destinations.ts'
import { leasesConformance } from '../conformance/leases.ts'
import { ownKeysConformance } from '../conformance/own-keys.ts'
import { deletionsConformance } from '../conformance/deletions/deletions.ts'
import { deliveriesConformance } from '../conformance/deliveries/deliveries.ts'
import { eventsConformance } from '../conformance/log/events.ts'
import { followedLogConformance } from '../conformance/log/followed-log.ts'
import { lanesConformance } from '../conformance/deliveries/lanes.ts'
import { logConformance } from '../conformance/log/log.ts'
import { noticesConformance } from '../conformance/deletions/notices.ts'
import { previewsConformance } from '../conformance/audiences/previews.ts'
import { profileIdentityConformance } from '../conformance/profiles/profile-identity.ts'
import { profileHistoriesConformance } from '../conformance/profiles/profile-histories.ts'
import { profileLinksConformance } from '../conformance/profiles/profile-links.ts'
import { profileSearchConformance } from '../conformance/profiles/profile-search.ts'
import { profileTraitsConformance } from '../conformance/profiles/profile-traits.ts'
import { profilesConformance } from '../conformance/profiles/profiles.ts'
import { evaluationsConformance } from '../conformance/audiences/evaluations.ts'
import { factsConformance } from '../conformance/profiles/facts.ts'
import { membershipsConformance } from '../conformance/audiences/memberships.ts'
import { syncsConformance } from '../conformance/audiences/syncs.ts'
import { walksConformance } from '../conformance/audiences/walks.ts'
import { profileOrderConformance } from '../conformance/profiles/profile-order.ts'
import { profilePurgesConformance } from '../conformance/deletions/profile-purges.ts'
import { purgePositionsConformance } from '../conformance/deletions/purge-positions.ts'
import { purgesConformance } from '../conformance/deletions/purges.ts'
import { quarantineConformance } from '../conformance/deliveries/quarantine.ts'
import { refusedAfterPurgeConformance } from '../conformance/deletions/refused-after-purge.ts'
import { replaysConformance } from '../conformance/deliveries/replays.ts'
import { suppressionsConformance } from '../conformance/deletions/suppressions.ts'
import { upkeepConformance } from '../conformance/upkeep.ts'
import { anonymousPurgesConformance } from '../conformance/deletions/anonymous-purges.ts'
import { auditConformance } from '../conformance/audit.ts'
import { auditedChangesConformance } from '../conformance/audited-changes.ts'
import { deliveryReportsConformance } from '../conformance/deliveries/delivery-reports.ts'
import { eventNamesConformance } from '../conformance/event-names.ts'
import { idempotentResponsesConformance } from '../conformance/idempotent-responses.ts'
import { signalsConformance } from '../conformance/signals.ts'
import { statisticsConformance } from '../conformance/statistics.ts'
import { tokensConformance } from '../conformance/tokens.ts'

async function openHarness(): Promise<BackendHarness> {
  const folder = new TemporaryFolder()
  const options = {
    dataDir: folder.path,
    maxWaitingBytes: 64 * 1024 * 1024,
    dedupeWindowMs: DEDUPE_WINDOW_MS,
  }
  let backend = await openEmbeddedBackend(options)
  return {
    get backend() {
      return backend
    },
    async reopen() {
      await backend[Symbol.asyncDispose]()
      backend = await openEmbeddedBackend(options)
    },
    settle: async () => undefined,
    async failAuditWrites() {
      failAuditWrites(folder.path)
    },
    async [Symbol.asyncDispose]() {
      await backend[Symbol.asyncDispose]()
      folder[Symbol.dispose]()
    },
  }
}

logConformance(openHarness, { isOrdered: true })
followedLogConformance(openHarness)
catalogConformance(openHarness)
eventsConformance(openHarness)
eventNamesConformance(openHarness)
decidedDestinationsConformance(openHarness)
leasesConformance(openHarness)
ownKeysConformance(openHarness)
alertStatesConformance(openHarness)
signalsConformance(openHarness)
computedEventsConformance(openHarness)
deliveriesConformance(openHarness)
lanesConformance(openHarness)
quarantineConformance(openHarness)
replaysConformance(openHarness)
upkeepConformance(openHarness)
auditConformance(openHarness)
auditedChangesConformance(openHarness)
deliveryReportsConformance(openHarness)
idempotentResponsesConformance(openHarness)
statisticsConformance(openHarness)
tokensConformance(openHarness)
keyUsesConformance(openHarness)
deletionsConformance(openHarness)
anonymousPurgesConformance(openHarness)
purgesConformance(openHarness)
purgePositionsConformance(openHarness)
refusedAfterPurgeConformance(openHarness)
noticesConformance(openHarness)
suppressionsConformance(openHarness)
profilesConformance(openHarness)
profileTraitsConformance(openHarness)
profileIdentityConformance(openHarness)
profileLinksConformance(openHarness)
profileSearchConformance(openHarness)
profileHistoriesConformance(openHarness, 2_500)
factsConformance(openHarness)
evaluationsConformance(openHarness)
membershipsConformance(openHarness)
syncsConformance(openHarness)
profileOrderConformance(openHarness)
walksConformance(openHarness)
profilePurgesConformance(openHarness)
previewsConformance(openHarness)
