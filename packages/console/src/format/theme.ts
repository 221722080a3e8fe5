import { storedValue } from './stored-value.ts'

/** The colours: as set in the operating system, or always light or dark. */
export const THEMES = ['system', 'light', 'dark'] as const
export type Theme = (typeof THEMES)[number]

const stored = storedValue(
  'hookline-theme',
  (text): Theme => THEMES.find((each) => each === text) ?? 'system',
)

export const useTheme = stored.useValue

export function setTheme(theme: Theme): void {
  stored.set(theme)
  applyTheme()
}

/** Call it before the first paint of a page. */
export function applyTheme(): void {
  document.documentElement.dataset['theme'] = stored.get()
}
