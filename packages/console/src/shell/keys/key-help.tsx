import type { ReactElement } from 'react'
import { Modal } from '../../design/dialogs/modal.tsx'

const KEYS: readonly (readonly [keys: readonly string[], meaning: string])[] = [
  [['Ctrl K', '⌘ K'], 'Go to a page, destination, source, user or ID'],
  [['/'], 'Filter the list'],
  [['j', 'k'], 'Next and previous row'],
  [['Enter'], 'Open the row'],
  [['Esc'], 'Close'],
  [['r'], 'Replay or retry'],
  [['p'], 'Pause or resume the live tail'],
  [['?'], 'Show shortcuts'],
]

export function KeyHelp({ onClose }: { readonly onClose: () => void }): ReactElement {
  return (
    <Modal title="Keyboard shortcuts" isOpen onClose={onClose}>
      <dl className="grid grid-cols-[auto_1fr] gap-x-6 gap-y-2">
        {KEYS.map(([keys, meaning]) => (
          <div key={meaning} className="contents">
            <dt className="flex gap-1">
              {keys.map((key) => (
                <kbd
                  key={key}
                  className="border-line-strong rounded-small text-note bg-sunken border px-1.5"
                >
                  {key}
                </kbd>
              ))}
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
    </Modal>
  )
}
