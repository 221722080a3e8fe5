import { useQuery } from '@tanstack/react-query'
import type { ReactElement } from 'react'
import { Button } from '../../../design/controls/button.tsx'
import { CopyButton } from '../../../design/controls/copy-button.tsx'
import { Checkbox } from '../../../design/controls/field.tsx'
import { FilterInput } from '../../../design/controls/filter-input.tsx'
import { Group } from '../../../design/lists/group.tsx'
import { Cell, Row, Table } from '../../../design/lists/table.tsx'
import { Panel } from '../../../design/panel.tsx'
import { Empty, Loaded } from '../../../design/states.tsx'
import { CodeText } from '../../../design/texts/code-text.tsx'
import { systemQuery } from '../../../domain/system.ts'
import { countText } from '../../../format/figures.ts'
import { shownText } from '../../../format/shown-text.ts'
import { useUrlState } from '../../../shell/url-state.ts'
import { isChanged, matchingSettings, originText, type Setting, valueOf } from './shown-settings.ts'

const HEAD = ['Setting', 'Value', 'Default', 'Origin', 'Description']

export function SettingsTab(): ReactElement {
  const [{ filter = '', changed }, setUrl] = useUrlState<'filter' | 'changed'>()
  const clear = (): void => setUrl({ filter: undefined, changed: undefined })
  return (
    <Panel isFlush>
      <h2 className="sr-only">Settings</h2>
      <search className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3">
        <FilterInput
          data-filter
          type="search"
          aria-label="Filter settings"
          placeholder="Name, value or description"
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
      <Loaded query={useQuery(systemQuery)} lines={9}>
        {({ settings }) => {
          const shown = matchingSettings(settings, {
            text: filter,
            changedOnly: changed !== undefined,
          })
          return shown.length === 0 ? (
            <Empty
              title="No matching settings"
              action={<Button onClick={clear}>Show all settings</Button>}
            >
              The filter searches names, values and descriptions.
            </Empty>
          ) : (
            <>
              <GroupedSettings settings={settings} shown={shown} />
              <p role="status" className="border-line text-ink-soft text-dense border-t px-4 py-3">
                {shown.length} of {countText(settings.length, 'setting')}. Changes require a
                restart.
              </p>
            </>
          )
        }}
      </Loaded>
    </Panel>
  )
}

interface GroupedSettingsProps {
  readonly settings: readonly Setting[]
  readonly shown: readonly Setting[]
}

function GroupedSettings({ settings, shown }: GroupedSettingsProps): ReactElement[] {
  const isFiltered = shown.length < settings.length
  return [...Map.groupBy(shown, ({ group }) => group)].map(([group, members]) => (
    <Group
      key={group}
      title={group}
      count={members.length}
      isOpen={isFiltered || !isUnused(group, settings)}
    >
      <Table label={`${group} settings`} head={HEAD}>
        {members.map((each) => (
          <SettingRow key={each.name} setting={each} isFiltered={isFiltered} />
        ))}
      </Table>
    </Group>
  ))
}

/** Cluster settings do not apply to a service that stores its data in one file. */
function isUnused(group: string, settings: readonly Setting[]): boolean {
  return (
    group === 'Cluster' && settings.find(({ name }) => name === 'backend')?.value === 'embedded'
  )
}

interface SettingRowProps {
  readonly setting: Setting
  readonly isFiltered: boolean
}

function SettingRow({ setting, isFiltered }: SettingRowProps): ReactElement {
  const { name, variable, origin, help } = setting
  const { text, isValue } = valueOf(setting)
  return (
    <Row>
      <Cell className="max-w-60 min-w-48">
        <code className="font-medium">{name}</code>
        <span className="text-note text-ink-faint flex items-center">
          <code className="break-all">{variable}</code>
          <CopyButton text={variable} what={`the variable of ${name}`} />
        </span>
      </Cell>
      <Cell className="max-w-48 min-w-28">
        {isValue ? (
          <code className={isChanged(setting) ? 'font-medium break-words' : 'break-words'}>
            {text === '' ? 'empty' : shownText(text)}
          </code>
        ) : (
          <span className="text-ink-faint">{text}</span>
        )}
      </Cell>
      <Cell className="text-ink-soft max-w-40 min-w-24 break-words">
        {setting.default === null ? (
          <span className="text-ink-faint">none</span>
        ) : (
          <code>{shownText(setting.default)}</code>
        )}
      </Cell>
      <Cell className="text-ink-soft max-w-44 min-w-28 break-words">
        {shownText(originText(origin))}
      </Cell>
      <Cell className="text-ink-soft min-w-72">
        <Help name={name} text={shownText(help, 1_000)} isOpen={isFiltered} />
      </Cell>
    </Row>
  )
}

interface HelpProps {
  readonly name: string
  readonly text: string
  readonly isOpen: boolean
}

/**
 * The first sentence, with the rest behind “Learn more”. A filter also searches the rest, so it is
 * shown while a filter is active.
 */
function Help({ name, text, isOpen }: HelpProps): ReactElement {
  const [, first = text, rest] = /^(.*?\.) (.+)$/s.exec(text) ?? []
  return (
    <>
      <CodeText text={first} />
      {rest !== undefined && (
        <details open={isOpen}>
          <summary className="text-ink-faint">
            Learn more<span className="sr-only"> about {name}</span>
          </summary>
          <p>
            <CodeText text={rest} />
          </p>
        </details>
      )}
    </>
  )
}
