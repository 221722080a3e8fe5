import type { Disk } from '../backend/upkeep.ts'
import { labelOf } from '../telemetry/names.ts'
import { countText } from '../util/count-text.ts'
import { bySeverity, type ConditionName, CONDITIONS, THRESHOLDS } from './conditions.ts'
import { destinationFindings } from './destination-findings.ts'
import type { ProblemFacts } from './facts.ts'
import { duration, type Finding, finding, type ProblemSubject } from './findings.ts'

/** A row in the list of problems. All findings about a destination share one. */
export interface CurrentProblem extends Finding {
  readonly key: string
  /** Worst first, with at least one. */
  readonly causes: readonly ProblemCause[]
}

/** A finding. Its remedy is `null` if an earlier cause has the same one. */
type ProblemCause = Omit<Finding, 'remedy'> & { readonly remedy: string | null }

const SERVICE: ProblemSubject = { kind: 'service', id: '', name: 'Hookline' }

/** All problems, worst first. A destination has at most one, with its causes. Pure. */
export function currentProblems(facts: ProblemFacts): CurrentProblem[] {
  const groups = Map.groupBy(findingsIn(facts), keyOf)
  const problems = [...groups].map(([key, findings]) => problemOf(key, findings))
  return problems.toSorted(
    (a, b) => bySeverity(a.condition, b.condition) || (b.count ?? 0) - (a.count ?? 0),
  )
}

function problemOf(key: string, findings: readonly Finding[]): CurrentProblem {
  const sorted = findings.toSorted((a, b) => bySeverity(a.condition, b.condition))
  const causes = sorted.map((cause, index): ProblemCause => {
    const earlier = sorted.slice(0, index)
    const isNew = (name: 'reason' | 'remedy') => earlier.every((each) => each[name] !== cause[name])
    const { title, reason, remedy } = cause
    return {
      ...cause,
      title: reason !== undefined && isNew('reason') ? `${title} ${reason}` : title,
      remedy: isNew('remedy') ? remedy : null,
    }
  })
  // The first rejection may be older than the current failure.
  const failing = sorted.find(({ condition }) => condition === 'webhook_failing')
  const failure = sorted.find((each) => each.failure !== undefined)?.failure
  return {
    ...sorted[0]!,
    title: causes[0]!.title,
    since: failing?.since ?? sorted[0]!.since,
    ...(failure !== undefined && { failure }),
    key,
    causes,
  }
}

function keyOf({ subject: { kind, id }, condition, detail }: Finding): string {
  return kind === 'destination'
    ? `destination ${id}`
    : `${condition} ${kind} ${id} ${detail}`.trim()
}

/** All findings, unordered. */
export function findingsIn(facts: ProblemFacts): Finding[] {
  return [
    ...facts.refused.map(refusedFinding),
    ...facts.destinations.flatMap((each) => destinationFindings(each, facts.now)),
    ...serviceFindings(facts),
    ...facts.lostNodes.map(({ id, seenAt }) =>
      finding('node_lost', { kind: 'node', id, name: id }, `The node ${id} is not responding.`, {
        since: seenAt,
        to: '/system',
      }),
    ),
    ...facts.unlinked.map(unlinkedFinding),
  ]
}

const REFUSALS = {
  source_disabled: {
    condition: 'calls_refused',
    text: 'refused and lost, because the source is disabled',
  },
  unknown_write_key: {
    condition: 'write_key_unknown',
    text: 'refused, because the write key is missing or unknown',
  },
  rate_limited: {
    condition: 'rate_limit_exceeded',
    text: 'refused, because the source exceeded its rate limit',
  },
} as const

function refusedFinding({
  source,
  reason,
  count,
  since,
}: ProblemFacts['refused'][number]): Finding {
  const { condition, text } = REFUSALS[reason]
  const isKnown = source.id !== ''
  const subject: ProblemSubject = isKnown
    ? { kind: 'source', ...source }
    : { ...SERVICE, name: 'Unknown source' }
  const title = `${isKnown ? `${labelOf(source.name)}: ` : ''}${countText(count, 'call was', 'calls were')} ${text}.`
  return finding(condition, subject, title, {
    since,
    count,
    to: isKnown ? `/sources?source=${source.id}` : '/sources',
  })
}

function serviceFindings(facts: ProblemFacts): Finding[] {
  const { disk, lastBackupAt, missedBySyncs, now, checks, uncheckedDestinations } = facts
  const findings = lostDataFindings(facts)
  if (disk !== null && isLow(disk)) {
    const title = `The data disk has ${Math.floor(disk.freeBytes / 2 ** 20)} MiB of free space.`
    findings.push(ofService('disk_low', title))
  }
  if (uncheckedDestinations > 0) {
    const title = `${countText(uncheckedDestinations, 'destination was', 'destinations were')} not checked, because too many others need attention.`
    const more = { count: uncheckedDestinations, to: '/destinations' }
    findings.push(ofService('destinations_skipped', title, more))
  }
  if (lastBackupAt !== null && lastBackupAt < now - THRESHOLDS.maxBackupAgeMs) {
    const title = `The last backup is ${duration(now - lastBackupAt)} old.`
    const since = lastBackupAt + THRESHOLDS.maxBackupAgeMs
    findings.push(ofService('backup_old', title, { since }))
  }
  for (const { id, name, count } of missedBySyncs) {
    const title = `${labelOf(name)}: the last sync found ${countText(count, 'missed change')}.`
    const to = id.startsWith('aud_') ? `/audiences/${id}` : `/traits/${id}`
    findings.push(ofService('sync_missed', title, { detail: id, count, to }))
  }
  return [
    ...findings,
    ...Object.entries(checks).flatMap(([name, check]) => checkFinding(name, check)),
  ]
}

function isLow({ freeBytes, totalBytes }: Disk): boolean {
  return freeBytes < Math.min(THRESHOLDS.minFreeBytes, totalBytes * THRESHOLDS.minFreeShare)
}

/** Findings about stored data that is lost or cannot be processed. */
function lostDataFindings({ quarantined, corruptions, missing, now }: ProblemFacts): Finding[] {
  const findings = corruptions
    .filter(({ foundAt }) => foundAt >= now - THRESHOLDS.corruptionMs)
    .map(({ foundAt, description }) =>
      ofService('damage_found', corruptionTitle(description), {
        detail: String(foundAt),
        since: foundAt,
      }),
    )
  const itemsAre = (count: number): string =>
    countText(count, 'event or delivery is', 'events or deliveries are')
  if (missing > 0)
    findings.push(
      ofService('damage_found', `${itemsAre(missing)} missing from the database.`, {
        detail: 'missing',
        remedy:
          'Look for accounting.imbalance in the log. Restart the service, and report the bug.',
        count: missing,
      }),
    )
  if (quarantined > 0) {
    const title = `${itemsAre(quarantined)} in quarantine.`
    findings.push(ofService('quarantine', title, { count: quarantined, to: '/failures' }))
  }
  return findings
}

function corruptionTitle(description: string | undefined): string {
  return description === undefined
    ? 'Data corruption was found. Admins can see the details on the System page.'
    : `Data corruption: ${description}`
}

function ofService(condition: ConditionName, title: string, more: Partial<Finding> = {}): Finding {
  return finding(condition, SERVICE, title, { to: '/system', ...more })
}

/** The remedy for each check, as in the runbook and in `hookline doctor`. */
const CHECK_REMEDIES: ReadonlyMap<string, string> = new Map([
  [
    'clock',
    'If the clock is wrong, correct it within an hour of the jump. After that, retention may remove events.',
  ],
  ['database', 'Check disk space and disk health. The service recovers once the disk is writable.'],
  [
    'deliveries',
    'Save the log for a bug report, then restart the service. Attempts in flight are repeated.',
  ],
  [
    'workers',
    'Check disk space and disk health. If both are fine, this is a bug in Hookline: report it with the log line worker.failed.',
  ],
])

function checkFinding(
  name: string,
  { ok, note, reason }: ProblemFacts['checks'][string],
): Finding[] {
  if (ok && note === undefined) return []
  const condition = ok ? 'check_warning' : 'check_failed'
  const title = ok
    ? `Check “${name}”: ${note}`
    : `Check “${name}” failed: ${reason ?? 'no reason given.'}`
  const remedy = CHECK_REMEDIES.get(name) ?? CONDITIONS[condition].remedy
  return [ofService(condition, title, { detail: name, remedy })]
}

function unlinkedFinding({ source, reason, count }: ProblemFacts['unlinked'][number]): Finding {
  const name = labelOf(source.name)
  const subject: ProblemSubject = { kind: 'source', ...source }
  if (reason === 'placeholder')
    return finding(
      'ids_unlinked',
      subject,
      `${name}: ${countText(count, 'call')} in the last 24 hours had a placeholder id, such as undefined or 0.`,
      { detail: reason, count, to: source.id === '' ? '/sources' : `/sources?source=${source.id}` },
    )
  return finding(
    'ids_unlinked',
    subject,
    `${name}: ${countText(count, 'id')} in the last 24 hours exceeded the limit per profile and ${count === 1 ? 'was' : 'were'} not linked.`,
    {
      detail: reason,
      count,
      remedy:
        'Check the largest profiles. The usual cause is a userId that many people share, such as a test account.',
      to: '/users?order=largest',
    },
  )
}
