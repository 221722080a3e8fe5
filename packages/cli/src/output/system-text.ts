import { formatTimeSpan } from '@hookline/protocol'
import type { ManagementApi } from '../api/management-api.ts'
import { type Detail, details } from './details.ts'
import { bytesText, countText, durationText, formatCount } from './figures.ts'
import type { Output } from './output.ts'
import { type Column, table } from './table.ts'

type System = Awaited<ReturnType<ManagementApi['getSystem']>>
type PresentedSetting = System['settings'][number]

export function systemText(
  output: Output,
  system: System,
  { areAllShown }: { readonly areAllShown: boolean },
): string {
  const facts = details(output, [
    ...serviceLines(output, system),
    ...storageLines(output, system),
    ...backlogLines(system),
  ])
  return [facts, settingsText(output, system.settings, areAllShown)].join('\n\n')
}

function serviceLines(output: Output, system: System): (Detail | false)[] {
  const { version, node, backend, status, startedAt, uptimeMs, dataDir, live } = system
  const backup = system.lastBackupAt
  return [
    ['version', `hookline ${version} on Node ${node}, backend ${backend}`],
    ['started', `${output.time(startedAt)}, up ${durationText(uptimeMs / 1000)}`],
    dataDir !== null && ['data folder', dataDir],
    ['status', status],
    ...Object.entries(system.checks).flatMap(([name, { ok, note, reason }]): Detail[] =>
      ok && note === undefined ? [] : [[`check ${name}`, note ?? `failed: ${reason}`]],
    ),
    ...system.failingWorkers.map(({ name, reason }): Detail => [`worker ${name}`, reason]),
    ...(system.corruptions ?? []).map(({ foundAt, description }): Detail => [
      'corruption',
      `${output.time(foundAt)} ${description}`,
    ]),
    ...nodeLines(output, system),
    ['live tail', `${live.open} of ${formatCount(live.max)} connections`],
    ['last backup', backup === null ? 'none yet' : output.time(backup)],
  ]
}

function nodeLines(output: Output, { nodes }: System): (Detail | false)[] {
  if (nodes.length < 2) return []
  return nodes.map(({ id, version, role, startedAt, lastSeenAt, isAlive, isSelf }): Detail => {
    const seen = isAlive
      ? isSelf
        ? ', sent this response'
        : ''
      : `, down, last seen ${output.time(lastSeenAt)}`
    const kind = role === 'all' ? '' : ` ${role}`
    return ['node', `${id.slice(0, 8)}${kind} ${version}, started ${output.time(startedAt)}${seen}`]
  })
}

function storageLines(output: Output, { storage }: System): (Detail | false)[] {
  const { events, isExact, oldestEventAt, retentionMs, retentionMaxBytes, freeBytes } = storage
  const free = freeBytes === null ? '' : `; ${bytesText(freeBytes)} free`
  const oldest = oldestEventAt === null ? '' : `, oldest from ${output.time(oldestEventAt)}`
  const size = retentionMaxBytes === null ? '' : `, up to ${bytesText(retentionMaxBytes)}`
  return [
    [
      'storage',
      `${bytesText(storage.usedBytes)} used; database ${bytesText(storage.databaseBytes)}, log ${bytesText(storage.logBytes)}${free}`,
    ],
    ['events', `${isExact ? '' : 'about '}${formatCount(events)}${oldest}`],
    ['retention', `${formatTimeSpan(retentionMs)}${size}`],
  ]
}

function backlogLines({ backlog }: System): (Detail | false)[] {
  const { undecided, notInProfiles, pending, held, oldestPendingAgeMs } = backlog
  const age = (ms: number | null): string =>
    ms === null ? '' : `, oldest ${durationText(ms / 1000)}`
  const behind = ({ events, ageMs }: typeof undecided): string =>
    events === 0 ? 'none' : `${countText(events, 'event')}${age(ageMs)}`
  const { quarantined, openReplays, openDeletions } = backlog
  return [
    ['unprocessed', behind(undecided)],
    notInProfiles !== null && ['not in profiles', behind(notInProfiles)],
    [
      'backlog',
      `${formatCount(pending)} pending${age(oldestPendingAgeMs)}; ${formatCount(held)} held`,
    ],
    quarantined > 0 && ['quarantined', formatCount(quarantined)],
    ['in progress', `${countText(openReplays, 'replay')}, ${countText(openDeletions, 'deletion')}`],
  ]
}

function settingsText(
  output: Output,
  settings: readonly PresentedSetting[],
  areAllShown: boolean,
): string {
  const isChanged = ({ value, default: usual, hidden, isSet }: PresentedSetting) =>
    hidden === null ? value !== usual : isSet && hidden === 'secret'
  const shown = settings.filter((each) => areAllShown || isChanged(each))
  const others = settings.length - shown.length
  const rest =
    others === 0 ? '' : `${countText(others, 'setting')} not shown; show all with --settings.`
  return [shown.length === 0 ? '' : table(output, COLUMNS, shown), rest]
    .filter((text) => text !== '')
    .join('\n')
}

const COLUMNS: readonly Column<PresentedSetting>[] = [
  { head: 'setting', cell: ({ name }) => name },
  { head: 'value', cell: valueText, long: 'wrap' },
  { head: 'from', cell: ({ origin }) => origin?.name ?? origin?.kind ?? '' },
]

function valueText({ value, hidden, isSet }: PresentedSetting): string {
  if (hidden === 'secret') return isSet ? 'hidden' : ''
  return hidden === null ? (value ?? '') : 'admins only'
}
