import type { ReactElement } from 'react'
import { SERVICE_URL } from '../../../api/addresses.ts'
import { Panel } from '../../../design/panel.tsx'
import { Time } from '../../../design/texts/time.tsx'

interface BackupPanelProps {
  readonly lastBackupAt: string | null
}

/** A backup by a click. The browser downloads it by itself, so that its size does not matter to the page. */
export function BackupPanel({ lastBackupAt }: BackupPanelProps): ReactElement {
  return (
    <Panel title="Backup">
      <div className="flex flex-col items-start gap-3">
        <p>
          A copy of the database, while the service runs. The file <code>encryption-key</code> of
          the data folder belongs to it, and is not in it: keep a copy of it in another place.
          Without it, the backup does not open.
        </p>
        <a
          href={`${SERVICE_URL}api/v1/backup`}
          download={`hookline-${new Date().toISOString().slice(0, 10)}.db`}
          className="bg-accent text-on-accent hover:bg-accent-strong rounded-small text-dense inline-flex min-h-8 items-center px-3 py-1 font-medium"
        >
          Download a backup now
        </a>
        <p className="text-ink-faint text-note">
          {lastBackupAt === null ? (
            'No backup was downloaded since the service started.'
          ) : (
            <>
              The last one was complete <Time at={lastBackupAt} />.
            </>
          )}{' '}
          If a download fails, another one is running or a deletion has ended meanwhile: start it
          again.
        </p>
      </div>
    </Panel>
  )
}
