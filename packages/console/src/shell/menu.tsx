import type { ReactElement } from 'react'
import { Modal } from '../design/dialogs/modal.tsx'
import { HelpLinks } from './help-links.tsx'
import { Navigation } from './navigation.tsx'
import { SavedViews } from './saved-views.tsx'
import { SessionMenu } from './session-menu.tsx'

/** The navigation on narrow screens. */
export function Menu({ onClose }: { readonly onClose: () => void }): ReactElement {
  return (
    <Modal title="Hookline" place="menu" isOpen onClose={onClose}>
      <Navigation onGo={onClose} />
      <div className="mt-6 flex flex-col gap-2">
        <SavedViews onGo={onClose} />
        <HelpLinks />
        <SessionMenu />
      </div>
    </Modal>
  )
}
