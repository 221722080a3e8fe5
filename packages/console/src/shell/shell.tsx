import { Outlet } from '@tanstack/react-router'
import { lazy, type ReactElement, Suspense, useEffect, useEffectEvent, useState } from 'react'
import { Toasts } from '../design/dialogs/toasts.tsx'
import { useRefetchOnChange } from '../stream/refetch-on-change.ts'
import { HelpLinks } from './help-links.tsx'
import { useKeys } from './keys/keys.ts'
import { Navigation } from './navigation.tsx'
import { useFilterKey } from './keys/row-keys.ts'
import { SavedViews } from './saved-views.tsx'
import { SessionMenu } from './session-menu.tsx'
import { TopBar } from './top-bar.tsx'

// Lazy, so that the first page loads faster.
const DIALOGS = {
  palette: lazy(() =>
    import('./palette/palette.tsx').then(({ Palette }) => ({ default: Palette })),
  ),
  keys: lazy(() => import('./keys/key-help.tsx').then(({ KeyHelp }) => ({ default: KeyHelp }))),
  menu: lazy(() => import('./menu.tsx').then(({ Menu }) => ({ default: Menu }))),
}

export function Shell(): ReactElement {
  const [open, setOpen] = useState<keyof typeof DIALOGS>()
  const OpenDialog = open && DIALOGS[open]
  useRefetchOnChange()
  useKeys({ '?': () => setOpen('keys') })
  useFilterKey()
  usePaletteKey(() => setOpen('palette'))
  return (
    <div className="mx-auto flex min-h-dvh max-w-[100rem]">
      <SkipLink />
      <aside className="border-line sticky top-0 hidden h-dvh w-52 shrink-0 flex-col gap-6 overflow-y-auto border-r px-3 py-4 md:flex">
        <Brand />
        <Navigation />
        <SavedViews />
        <div className="mt-auto flex flex-col gap-2">
          <HelpLinks onKeys={() => setOpen('keys')} />
          <SessionMenu />
        </div>
      </aside>
      <div className="flex min-w-0 flex-1 flex-col">
        <TopBar onMenu={() => setOpen('menu')} onPalette={() => setOpen('palette')} />
        <main id="page" tabIndex={-1} className="min-w-0 flex-1 px-4 py-5 outline-none sm:px-6">
          <Outlet />
        </main>
      </div>
      <Suspense>{OpenDialog && <OpenDialog onClose={() => setOpen(undefined)} />}</Suspense>
      <Toasts />
    </div>
  )
}

function Brand(): ReactElement {
  return (
    <p className="flex items-center gap-2 px-2 font-semibold">
      <img src="./icon.svg" alt="" className="size-5" />
      Hookline
    </p>
  )
}

/** A link to `#page` would leave the page, because of its `<base>`. */
function SkipLink(): ReactElement {
  return (
    <button
      type="button"
      className="bg-accent text-on-accent rounded-small sr-only z-50 p-2 focus:not-sr-only focus:fixed focus:top-2 focus:left-2"
      onClick={() => document.getElementById('page')?.focus()}
    >
      Skip to content
    </button>
  )
}

/** Unlike other keys, Ctrl K and ⌘ K also work in inputs. */
function usePaletteKey(onPress: () => void): void {
  const press = useEffectEvent((event: KeyboardEvent) => {
    if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== 'k') return
    event.preventDefault()
    onPress()
  })
  useEffect(() => {
    const listener = (event: KeyboardEvent): void => press(event)
    document.addEventListener('keydown', listener)
    return () => document.removeEventListener('keydown', listener)
  }, [])
}
