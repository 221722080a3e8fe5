import type { ReactElement } from 'react'
import { useMay } from '../../../api/session.ts'
import type { HealthyDestination } from '../../../domain/destinations/destination-query.ts'
import { DeletePanel } from './delete-panel.tsx'
import { PausePanel } from './pause-panel.tsx'
import { RetryPanel } from './retry-panel.tsx'
import { SecretPanel } from './secret-panel.tsx'
import { SettingsForm } from './settings-form.tsx'
import { ShownSettings } from './shown-settings.tsx'

/** Everything that can be set, for who may; what is set, for others. */
export function SettingsTab({
  destination,
}: {
  readonly destination: HealthyDestination
}): ReactElement {
  const mayEdit = useMay('editor')
  return (
    <div className="flex max-w-4xl flex-col gap-4">
      {mayEdit ? (
        <SettingsForm destination={destination} />
      ) : (
        <ShownSettings destination={destination} />
      )}
      <SecretPanel destination={destination} />
      <PausePanel destination={destination} />
      <RetryPanel />
      {mayEdit && <DeletePanel destination={destination} />}
    </div>
  )
}
