import type { ReactElement } from 'react'
import type { Destination } from '@hookline/cli/management-client'
import { Panel } from '../../../design/panel.tsx'
import { Time } from '../../../design/texts/time.tsx'
import { PAUSE_CAUSES } from '../../../domain/destinations/destination-state.ts'
import { shownText } from '../../../format/shown-text.ts'
import { PauseButton } from '../pause/pause-button.tsx'

/** Whether deliveries are held, of the whole destination or of a webhook, and why. */
export function PausePanel({ destination }: { readonly destination: Destination }): ReactElement {
  const { paused, settings } = destination
  const webhooks = settings.webhooks.filter((webhook) => webhook.paused !== null)
  return (
    <Panel title="Pause">
      <div className="flex flex-col gap-3">
        {paused === null && webhooks.length === 0 && (
          <p>
            Not paused. While a destination is paused, its deliveries are held, and none of them
            expires. Pause it while you rebuild its receiver.
          </p>
        )}
        {paused !== null && (
          <p>
            Paused since <Time at={paused.since} form="full" />. {PAUSE_CAUSES[paused.reason]}{' '}
            Deliveries are held until it is resumed.
          </p>
        )}
        {webhooks.map(({ url, paused: pause }) => (
          <p key={url}>
            <code>{shownText(url)}</code> is paused since <Time at={pause!.since} form="full" />.{' '}
            {PAUSE_CAUSES[pause!.reason]} Resume lets every webhook go on.
          </p>
        ))}
        <div>
          <PauseButton destination={destination} />
        </div>
      </div>
    </Panel>
  )
}
