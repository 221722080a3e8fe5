import { shownText } from './shown-text.ts'

const MAX_CHARACTERS = 60

/** The text to type to confirm a deletion: the name, or the id if the name is hard to type. */
export function confirmationText(name: string, id: string): string {
  const isTypeable =
    name.length <= MAX_CHARACTERS && shownText(name) === name && !/^\s|\s$|\s\s/.test(name)
  return isTypeable ? name : id
}
