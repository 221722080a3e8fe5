import { type ReactElement, useEffect, useState } from 'react'
import { Button } from '../../../design/controls/button.tsx'
import { Icon } from '../../../design/icon.tsx'
import { type ConditionTree, newClausePart, withPart } from '../draft/condition-tree.ts'
import type { DefinitionInputsProps } from './inputs-props.ts'
import { PartInputs } from './part-inputs.tsx'
import type { EditPart } from './part-props.ts'

/** The inputs of a whole condition: its groups and clauses, nested as deep as they are. */
export function ConditionInputs({
  draft,
  pointer,
  onChange,
}: DefinitionInputsProps<ConditionTree>): ReactElement {
  const [focus, setFocus] = useState<{ readonly id: string }>()
  // The focus follows what was added or moved, and stays near what was removed.
  useEffect(() => {
    if (focus !== undefined) document.getElementById(focus.id)?.focus()
  }, [focus])
  const edit: EditPart = (id, change, focusId) => {
    onChange(withPart(draft, id, change))
    if (focusId !== undefined) setFocus({ id: focusId })
  }
  const addBeside = (): void => {
    const clause = newClausePart()
    edit(draft.id, (part) => [part, clause], clause.id)
  }
  return (
    <div className="flex flex-col gap-2">
      <PartInputs part={draft} pointer={pointer} onEdit={edit} />
      {draft.kind === 'clause' && (
        <Button className="self-start" onClick={addBeside}>
          <Icon name="plus" className="size-3" /> Add clause
        </Button>
      )}
    </div>
  )
}
