import { useQuery } from '@tanstack/react-query'
import type { ReactElement } from 'react'
import { SERVICE_URL } from '../../../api/addresses.ts'
import { useHasRole } from '../../../api/session.ts'
import { FactList } from '../../../design/lists/fact-list.tsx'
import { Panel } from '../../../design/panel.tsx'
import { StateBadge } from '../../../design/state-badge.tsx'
import { Loaded } from '../../../design/states.tsx'
import { Time } from '../../../design/texts/time.tsx'
import { type System, systemQuery } from '../../../domain/system.ts'
import { bytes, countText, duration, wholeNumber } from '../../../format/figures.ts'
import { shownText } from '../../../format/shown-text.ts'
import { shownChecks } from './checks.ts'

interface SystemProps {
  readonly system: System
}

export function OverviewTab(): ReactElement {
  const isAdmin = useHasRole('admin')
  return (
    <Loaded query={useQuery(systemQuery)} lines={9}>
      {(system) => (
        <div className="grid items-start gap-4 lg:grid-cols-2">
          <ChecksPanel system={system} />
          <ServicePanel system={system} />
          <StoragePanel system={system} />
          <BacklogPanel system={system} />
          {isAdmin && system.backend === 'embedded' && <BackupPanel system={system} />}
          {system.corruptions !== null && <CorruptionPanel found={system.corruptions} />}
        </div>
      )}
    </Loaded>
  )
}

/** The checks of `/readyz`. */
function ChecksPanel({ system }: SystemProps): ReactElement {
  return (
    <Panel
      title="Checks"
      actions={
        <StateBadge tone={system.status === 'ok' ? 'delivered' : 'failed'}>
          {system.status === 'ok' ? 'Ready' : 'Not ready'}
        </StateBadge>
      }
    >
      <ul className="flex flex-col gap-2">
        {shownChecks(system).map(({ name, state: { words, ...badge }, text }) => (
          <li key={name} className="flex items-start justify-between gap-3">
            <div className="min-w-0">
              <p>{shownText(name, 60)}</p>
              {text !== undefined && (
                <p className="text-ink-soft text-dense break-words">{shownText(text)}</p>
              )}
            </div>
            <StateBadge {...badge}>{words}</StateBadge>
          </li>
        ))}
      </ul>
      <p className="text-ink-faint text-note mt-3">
        Checked <Time at={system.checkedAt} />
      </p>
    </Panel>
  )
}

function ServicePanel({ system }: SystemProps): ReactElement {
  const { version, node, backend, uptimeMs, startedAt, callsPort, dataDir, live } = system
  return (
    <Panel title="Service">
      <FactList
        facts={[
          ['Version', version],
          ['Node.js', node],
          ['Backend', backend],
          [
            'Uptime',
            <>
              {duration(uptimeMs)}{' '}
              <span className="text-ink-faint">
                since <Time at={startedAt} form="full" />
              </span>
            </>,
          ],
          ['Server time', <Time at={system.time} form="full" />],
          ['Ingestion port', callsPort ?? undefined],
          [
            'Data folder',
            dataDir === null ? undefined : (
              <code className="break-all">{shownText(dataDir, 400)}</code>
            ),
          ],
          ['Live streams', `${live.open} open, max ${live.max}`],
        ]}
      />
    </Panel>
  )
}

function StoragePanel({ system: { storage } }: SystemProps): ReactElement {
  const { usedBytes, databaseBytes, logBytes, freeBytes, oldestEventAt } = storage
  const count = wholeNumber(storage.events)
  const max = storage.retentionMaxBytes
  return (
    <Panel title="Storage">
      <FactList
        facts={[
          ['Used', bytes(usedBytes)],
          ['Database file', bytes(databaseBytes)],
          ['Write-ahead log', bytes(logBytes)],
          ['Free disk space', freeBytes === null ? undefined : bytes(freeBytes)],
          ['Events', storage.isExact ? count : `about ${count}`],
          ['Oldest event', oldestEventAt === null ? 'none' : <Time at={oldestEventAt} />],
          [
            'Retention',
            `${duration(storage.retentionMs)}${max === null ? '' : `, up to ${bytes(max)}`}`,
          ],
        ]}
      />
    </Panel>
  )
}

function BacklogPanel({ system: { backlog } }: SystemProps): ReactElement {
  const { notInProfiles, oldestPendingAt } = backlog
  return (
    <Panel title="Backlog">
      <FactList
        facts={[
          ['Unprocessed', lagText(backlog.undecided)],
          ['Not yet in profiles', notInProfiles === null ? 'none' : lagText(notInProfiles)],
          ['Pending', countText(backlog.pending, 'delivery', 'deliveries')],
          ['Held', countText(backlog.held, 'delivery', 'deliveries')],
          ['Oldest pending', oldestPendingAt === null ? 'none' : <Time at={oldestPendingAt} />],
          ['Quarantined', wholeNumber(backlog.quarantined)],
          ['Replays in progress', wholeNumber(backlog.openReplays)],
          ['Deletions in progress', wholeNumber(backlog.openDeletions)],
        ]}
      />
    </Panel>
  )
}

function lagText({ events, ageMs }: System['backlog']['undecided']): string {
  const count = countText(events, 'event')
  return ageMs === null ? count : `${count}, ${duration(ageMs)} behind`
}

function BackupPanel({ system: { lastBackupAt } }: SystemProps): ReactElement {
  return (
    <Panel title="Backup">
      <div className="flex flex-col items-start gap-3">
        <p>
          Downloads a copy of the database, without downtime. To restore it, you also need the
          encryption key, which is in the file <code>encryption-key</code> in the data folder unless{' '}
          <code>encryptionKey</code> is set: store a copy of it elsewhere.
        </p>
        <a
          href={`${SERVICE_URL}api/v1/backup`}
          download={`hookline-${new Date().toISOString().slice(0, 10)}.db`}
          className="bg-accent text-on-accent hover:bg-accent-strong rounded-small text-dense inline-flex min-h-8 items-center px-3 py-1 font-medium"
        >
          Download backup
        </a>
        <p className="text-ink-faint text-note">
          {lastBackupAt === null ? (
            'No backup yet.'
          ) : (
            <>
              Last completed <Time at={lastBackupAt} />.
            </>
          )}{' '}
          A download fails while another is running, and is aborted if a deletion purges users. In
          both cases, try again.
        </p>
      </div>
    </Panel>
  )
}

interface CorruptionPanelProps {
  readonly found: NonNullable<System['corruptions']>
}

function CorruptionPanel({ found }: CorruptionPanelProps): ReactElement {
  return (
    <Panel title="Data corruption">
      {found.length === 0 && <p className="text-ink-soft">None found at startup.</p>}
      <ul className="flex flex-col gap-2">
        {found.map(({ foundAt, description }) => (
          <li key={`${foundAt} ${description}`}>
            <p className="break-words">{shownText(description, 1_000)}</p>
            <p className="text-ink-faint text-note">
              Found <Time at={foundAt} />
            </p>
          </li>
        ))}
      </ul>
    </Panel>
  )
}
