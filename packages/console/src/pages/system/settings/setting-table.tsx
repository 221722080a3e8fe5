import type { ReactElement } from 'react'
import { CopyButton } from '../../../design/controls/copy-button.tsx'
import { Cell, Row, Table } from '../../../design/lists/table.tsx'
import { shownText } from '../../../format/shown-text.ts'
import { isChanged, originText, type Setting, valueOf } from './shown-settings.ts'

const HEAD = ['Setting', 'Value', 'Default', 'Origin', 'What it is']

export function SettingTable({
  settings,
}: {
  readonly settings: readonly Setting[]
}): ReactElement {
  return (
    <Table label="Settings" head={HEAD}>
      {settings.map((each) => (
        <SettingRow key={each.name} setting={each} />
      ))}
    </Table>
  )
}

function SettingRow({ setting }: { readonly setting: Setting }): ReactElement {
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
      <Cell className="text-ink-soft min-w-72">{shownText(help, 1_000)}</Cell>
    </Row>
  )
}
