import { mediaHook } from './media.ts'
import { storedValue } from './stored-value.ts'

/** The themes: as set in the operating system, or always light or dark. */
export const THEMES = ['system', 'light', 'dark'] as const
export type Theme = (typeof THEMES)[number]

const stored = storedValue(
  'hookline-theme',
  (text): Theme => THEMES.find((each) => each === text) ?? 'system',
)

export const useTheme = stored.useValue

const useIsSystemDark = mediaHook('(prefers-color-scheme: dark)')

/** The current colour scheme, for drawing without CSS. */
export function useColorScheme(): 'light' | 'dark' {
  const theme = useTheme()
  const system = useIsSystemDark() ? 'dark' : 'light'
  return theme === 'system' ? system : theme
}

export function setTheme(theme: Theme): void {
  stored.set(theme)
  applyTheme()
}

/** Call it before React renders. */
export function applyTheme(): void {
  document.documentElement.dataset['theme'] = stored.get()
}
