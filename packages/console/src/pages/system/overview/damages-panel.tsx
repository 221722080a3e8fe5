import type { ReactElement } from 'react'
import { Panel } from '../../../design/panel.tsx'
import { Time } from '../../../design/texts/time.tsx'
import type { System } from '../../../domain/system.ts'
import { shownText } from '../../../format/shown-text.ts'

interface DamagesPanelProps {
  readonly damages: NonNullable<System['damages']>
}

/** What starts of the service have found broken in its data. */
export function DamagesPanel({ damages }: DamagesPanelProps): ReactElement {
  return (
    <Panel title="Damages">
      {damages.length === 0 ? (
        <p className="text-ink-soft">No start has found damaged data.</p>
      ) : (
        <ul className="flex flex-col gap-2">
          {damages.map(({ foundAt, description }) => (
            <li key={`${foundAt} ${description}`}>
              <p className="break-words">{shownText(description, 1_000)}</p>
              <p className="text-ink-faint text-note">
                Found <Time at={foundAt} />
              </p>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  )
}
