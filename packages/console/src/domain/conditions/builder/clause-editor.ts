import type { ReactElement } from 'react'
import type { ConditionTree, Group, PartEdit } from '../draft/condition-tree.ts'
import type { ClauseNotation } from '../draft/notation.ts'

export interface ClauseInputsProps<Clause> {
  /** The id of the first input, for the focus. */
  readonly id: string
  readonly clause: Clause
  readonly onChange: (clause: Clause) => void
}

/** How one kind of clause is edited. */
export interface ClauseEditor<Clause> {
  readonly notation: ClauseNotation<Clause>
  readonly Inputs: (props: ClauseInputsProps<Clause>) => ReactElement
  /** Adds an optional part to a clause. */
  readonly AddButton: (props: Omit<ClauseInputsProps<Clause>, 'id'>) => ReactElement | null
}

/** Replaces the part with this id and moves the focus. */
export type EditPart<Clause> = (id: string, edit: PartEdit<Clause>, focusId?: string) => void

export interface PartProps<Clause, Part extends ConditionTree<Clause> = ConditionTree<Clause>> {
  readonly editor: ClauseEditor<Clause>
  readonly part: Part
  /** The JSON Pointer of its outermost `not`. */
  readonly pointer: string
  /** `undefined` at the root. */
  readonly parent: Group<Clause> | undefined
  readonly onEdit: EditPart<Clause>
}
