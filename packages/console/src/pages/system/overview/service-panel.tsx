import type { ReactElement } from 'react'
import { FactList } from '../../../design/lists/fact-list.tsx'
import { Panel } from '../../../design/panel.tsx'
import { Time } from '../../../design/texts/time.tsx'
import type { System } from '../../../domain/system.ts'
import { duration } from '../../../format/figures.ts'
import { shownText } from '../../../format/shown-text.ts'

/** What runs, and since when. */
export function ServicePanel({ system }: { readonly system: System }): ReactElement {
  const { version, node, backend, uptimeMs, startedAt, callsPort, dataDir, live } = system
  return (
    <Panel title="Service">
      <FactList
        facts={[
          ['Version', version],
          ['Node', node],
          ['Backend', backend],
          [
            'Runs for',
            <>
              {duration(uptimeMs)}{' '}
              <span className="text-ink-faint">
                since <Time at={startedAt} form="full" />
              </span>
            </>,
          ],
          ['Its clock', <Time key="clock" at={system.time} form="full" />],
          ['Port of calls', callsPort ?? undefined],
          [
            'Data folder',
            dataDir === null ? undefined : (
              <code className="break-all">{shownText(dataDir, 400)}</code>
            ),
          ],
          ['Live streams', `${live.open} open, ${live.most} at most`],
        ]}
      />
    </Panel>
  )
}
