import type { ReactElement } from 'react'
import type { Destination } from '@hookline/cli/management-client'
import { FactList } from '../../../design/lists/fact-list.tsx'
import { IdText } from '../../../design/texts/id-text.tsx'
import { Panel } from '../../../design/panel.tsx'
import { shownText } from '../../../format/shown-text.ts'

/** The settings, for a role that may not change them. */
export function ShownSettings({
  destination,
}: {
  readonly destination: Destination
}): ReactElement {
  const { name, enabled, settings } = destination
  return (
    <Panel title="Settings">
      <FactList
        facts={[
          ['Name', shownText(name)],
          ['Enabled', enabled ? 'yes' : 'no: new events are not delivered'],
          [
            'URLs',
            settings.webhooks.map(({ url, headers }) => (
              <span key={url} className="block">
                <IdText id={url} what="the URL" />{' '}
                {Object.keys(headers).length > 0 &&
                  `with ${shownText(Object.keys(headers).join(', '))}`}
              </span>
            )),
          ],
          [
            'Delivered when',
            settings.successPolicy === 'any'
              ? 'any URL has accepted it'
              : 'each URL has accepted it',
          ],
        ]}
      />
    </Panel>
  )
}
