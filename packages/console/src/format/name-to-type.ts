import { shownText } from './shown-text.ts'

const MOST_CHARACTERS = 60

/** What a person types to destroy something: its name, or its id where the name cannot be typed as it is shown. */
export function nameToType(name: string, id: string): string {
  const isTypeable =
    name.length <= MOST_CHARACTERS && shownText(name) === name && !/^\s|\s$|\s\s/.test(name)
  return isTypeable ? name : id
}
