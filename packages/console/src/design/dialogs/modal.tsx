import * as Dialog from '@radix-ui/react-dialog'
import {
  type KeyboardEventHandler,
  type ReactElement,
  type ReactNode,
  useRef,
  useState,
} from 'react'
import { Button } from '../controls/button.tsx'
import { classNames } from '../class-names.ts'
import { Icon } from '../icon.tsx'
import { useFirstFocus } from './first-focus.ts'
import { useScrollLock } from './scroll-lock.ts'

interface ModalProps {
  readonly title: string
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly children: ReactNode
  readonly place?: keyof typeof PLACES
  /** Page shortcuts are off while a dialog is open. */
  readonly onKeyDown?: KeyboardEventHandler
}

const PLACES = {
  dialog: 'inset-x-3 top-[8vh] mx-auto max-h-[84vh] max-w-lg rounded-panel border',
  wide: 'inset-x-3 top-[6vh] mx-auto max-h-[88vh] max-w-3xl rounded-panel border',
  drawer: 'inset-y-0 right-0 w-full max-w-2xl border-l',
  menu: 'inset-y-0 left-0 w-64 border-r',
} as const

/** Without Radix's overlay, because its inline styles violate the content security policy. */
export function Modal({ isOpen, onClose, ...rest }: ModalProps): ReactElement {
  return (
    <Dialog.Root open={isOpen} onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <DialogContent {...rest} />
      </Dialog.Portal>
    </Dialog.Root>
  )
}

/** A separate component, because its hooks must run only while it is open. */
function DialogContent({
  title,
  children,
  place = 'dialog',
  onKeyDown,
}: Omit<ModalProps, 'isOpen' | 'onClose'>): ReactElement {
  const content = useRef<HTMLDivElement>(null)
  const onOpenAutoFocus = useFirstFocus(content)
  const [before] = useState(() => document.activeElement)
  useScrollLock()
  return (
    <>
      <div className="fixed inset-0 z-30 bg-black/40" />
      <Dialog.Content
        aria-describedby={undefined}
        onOpenAutoFocus={onOpenAutoFocus}
        onCloseAutoFocus={(event) => {
          // Radix returns the focus only to its own trigger.
          event.preventDefault()
          const isLost = document.activeElement === document.body
          if (isLost && before instanceof HTMLElement) before.focus({ preventScroll: true })
        }}
        onKeyDown={onKeyDown}
        className={classNames(
          'bg-surface border-line shadow-float fixed z-40 flex flex-col overflow-hidden',
          PLACES[place],
        )}
      >
        <header className="border-line flex items-start justify-between gap-3 border-b px-4 py-3">
          <Dialog.Title className="text-part font-semibold">{title}</Dialog.Title>
          <Dialog.Close asChild>
            <Button variant="quiet" className="-my-1 -mr-2 px-2" aria-label="Close">
              <Icon name="cross" />
            </Button>
          </Dialog.Close>
        </header>
        <div ref={content} className="min-h-0 flex-1 overflow-y-auto p-4">
          {children}
        </div>
      </Dialog.Content>
    </>
  )
}
