import type { ReactElement } from 'react'
import { Select } from '../../design/controls/field.tsx'
import { useSpaces } from '../../domain/spaces.ts'
import { useUrlState } from '../../shell/url-state.ts'

/** Selects a space. Each space has its own profiles. */
export function SpacePicker({ space }: { readonly space: string }): ReactElement | null {
  const [, setUrl] = useUrlState<'space'>()
  const spaces = [...new Set([...useSpaces(), space])]
  if (spaces.length === 1) return null
  return (
    <span>
      <Select
        aria-label="Space"
        value={space}
        options={spaces.map((each) => [each, `Space ${each}`])}
        onPick={(picked) => setUrl({ space: picked === 'default' ? undefined : picked })}
      />
    </span>
  )
}
