import type { SecretBox } from '../../util/secrets/secret-box.ts'
import type { Clock } from '../../util/time/clock.ts'
import { storedAlertStates } from './alert-states.ts'
import { storedAudit } from './audit.ts'
import { storedEventNames } from './event-names.ts'
import { storedIdempotentResponses } from './idempotent-responses.ts'
import { openKeyUses } from './key-uses.ts'
import { storedFacts } from './profiles/facts.ts'
import { storedMemberships } from './profiles/memberships.ts'
import { storedProfiles } from './profiles/stored-profiles.ts'
import { storedReplays } from './replays.ts'
import { storedStatistics } from './statistics.ts'
import type { Store } from './store.ts'
import { openSuppressions } from './suppressions.ts'
import { storedSyncs } from './syncs.ts'
import { openTokens } from './tokens.ts'

/** The ports of a backend that need only its store. */
export async function storedPorts(store: Store, box: SecretBox, clock: Clock) {
  return {
    alertStates: storedAlertStates(store),
    audit: storedAudit(store, box),
    eventNames: storedEventNames(store),
    facts: storedFacts(store),
    idempotentResponses: storedIdempotentResponses(store),
    keyUses: await openKeyUses(store),
    memberships: storedMemberships(store),
    profiles: storedProfiles(store),
    replays: storedReplays(store),
    statistics: storedStatistics(store),
    suppressions: await openSuppressions(store, clock),
    syncs: storedSyncs(store),
    tokens: await openTokens(store),
  }
}
