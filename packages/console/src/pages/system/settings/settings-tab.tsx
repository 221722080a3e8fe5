import { useQuery } from '@tanstack/react-query'
import type { ReactElement } from 'react'
import { Button } from '../../../design/controls/button.tsx'
import { Checkbox } from '../../../design/controls/field.tsx'
import { FilterInput } from '../../../design/controls/filter-input.tsx'
import { Panel } from '../../../design/panel.tsx'
import { Empty, Loaded } from '../../../design/states.tsx'
import { systemQuery } from '../../../domain/system.ts'
import { counted } from '../../../format/figures.ts'
import { useUrlState } from '../../../shell/url-state.ts'
import { SettingTable } from './setting-table.tsx'
import { matchingSettings } from './shown-settings.ts'

/** Every setting, with where its value comes from. Settings are changed where the service is started. */
export function SettingsTab(): ReactElement {
  const [{ filter = '', changed }, setUrl] = useUrlState<'filter' | 'changed'>()
  const clear = (): void => setUrl({ filter: undefined, changed: undefined })
  return (
    <Panel isFlush>
      <h2 className="sr-only">Settings</h2>
      <SettingFilter />
      <Loaded query={useQuery(systemQuery)} lines={9}>
        {({ settings }) => {
          const shown = matchingSettings(settings, {
            text: filter,
            changedOnly: changed !== undefined,
          })
          return shown.length === 0 ? (
            <Empty
              title="No setting matches"
              action={<Button onClick={clear}>Show all settings</Button>}
            >
              The filter looks at names, values and help.
            </Empty>
          ) : (
            <>
              <SettingTable settings={shown} />
              <p role="status" className="text-ink-soft text-dense px-4 py-3">
                {shown.length} of {counted(settings.length, 'setting')}. They are changed where the
                service is started.
              </p>
            </>
          )
        }}
      </Loaded>
    </Panel>
  )
}

function SettingFilter(): ReactElement {
  const [{ filter = '', changed }, setUrl] = useUrlState<'filter' | 'changed'>()
  return (
    <search className="border-line flex flex-wrap items-center gap-x-4 gap-y-2 border-b px-4 py-3">
      <FilterInput
        data-filter
        type="search"
        aria-label="Filter settings"
        placeholder="Name, value or help"
        className="max-w-80 flex-1"
        value={filter}
        onWrite={(text) => setUrl({ filter: text })}
      />
      <Checkbox
        label="Changed only"
        checked={changed !== undefined}
        onToggle={(checked) => setUrl({ changed: checked ? '1' : undefined })}
      />
    </search>
  )
}
