import type { ReactElement } from 'react'
import { Panel } from '../../../design/panel.tsx'
import { StateBadge } from '../../../design/state-badge.tsx'
import { Time } from '../../../design/texts/time.tsx'
import type { System } from '../../../domain/system.ts'
import { shownText } from '../../../format/shown-text.ts'
import { shownChecks } from './checks.ts'

/** What the service checks of itself, as `/readyz` does. */
export function ChecksPanel({ system }: { readonly system: System }): ReactElement {
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
