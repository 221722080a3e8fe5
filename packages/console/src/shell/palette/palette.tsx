import { useRouter } from '@tanstack/react-router'
import { type KeyboardEvent, type ReactElement, useId, useState } from 'react'
import { classNames } from '../../design/class-names.ts'
import { TextInput } from '../../design/controls/field.tsx'
import { Modal } from '../../design/dialogs/modal.tsx'
import { shownText } from '../../format/shown-text.ts'
import { type PaletteEntry, paletteEntries } from './palette-entries.ts'
import { usePaletteRecords } from './palette-records.ts'

export function Palette({ onClose }: { readonly onClose: () => void }): ReactElement {
  const [text, setText] = useState('')
  // The chosen entry stays current when others load later.
  const [chosen, setChosen] = useState<string>()
  const router = useRouter()
  const id = useId()
  const entries = paletteEntries(text, usePaletteRecords(text))
  const chosenIndex = entries.findIndex(({ to }) => to === chosen)
  const current = Math.max(0, chosenIndex)
  const go = (entry: PaletteEntry | undefined): void => {
    if (entry === undefined) return
    onClose()
    router.history.push(router.basepath.replace(/\/$/, '') + entry.to)
  }
  const move = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (event.key === 'Enter') go(entries[current])
    if (step === undefined) return
    event.preventDefault()
    setChosen(entries.at((current + step) % entries.length)?.to)
  }
  return (
    <Modal title="Go to" isOpen onClose={onClose}>
      <TextInput
        role="combobox"
        aria-label="Page, destination, source, user or ID"
        aria-expanded
        aria-controls={id}
        aria-activedescendant={entries.length > 0 ? `${id}-${current}` : undefined}
        placeholder="Page, destination, source, user or ID"
        value={text}
        onKeyDown={move}
        onChange={({ target }) => {
          setText(target.value)
          setChosen(undefined)
        }}
      />
      <ul id={id} role="listbox" aria-label="Results" className="mt-3 flex flex-col">
        {entries.map((entry, index) => (
          <li
            key={entry.to}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === current}
            className={classNames(
              'rounded-small flex cursor-pointer items-baseline justify-between gap-4 px-2 py-1.5',
              index === current && 'bg-accent-soft',
            )}
            onMouseMove={() => setChosen(entry.to)}
            onClick={() => go(entry)}
          >
            <span className="font-medium">{shownText(entry.name, 120)}</span>
            <span className="text-ink-faint text-note whitespace-nowrap">{entry.kind}</span>
          </li>
        ))}
      </ul>
      {entries.length === 0 && <p className="text-ink-soft py-4">No results.</p>}
    </Modal>
  )
}
