import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type ReactElement, useState } from 'react'
import { api } from '../../api/client.ts'
import { Modal } from '../../design/dialogs/modal.tsx'
import { type DeletionFields, deletionBody } from './deletion-fields.ts'
import { DeletionForm } from './deletion-form.tsx'
import { DeletionReview } from './deletion-review.tsx'

interface NewDeletionProps {
  /** Prefilled by a link from another page. */
  readonly userId: string | undefined
  readonly onStarted: (id: string) => void
  readonly onClose: () => void
}

export function NewDeletion({ userId = '', onStarted, onClose }: NewDeletionProps): ReactElement {
  const client = useQueryClient()
  const [fields, setFields] = useState<DeletionFields>({
    users: userId,
    anonymous: '',
    sourceIds: [],
    isEverySource: true,
    suppress: false,
  })
  const [isReview, setReview] = useState(false)
  const start = useMutation({
    mutationFn: () => api.createDeletion(deletionBody(fields)),
    onSuccess: async ({ id }) => {
      onStarted(id)
      await client.invalidateQueries({ queryKey: ['deletions'] })
      await client.invalidateQueries({ queryKey: ['suppressions'] })
    },
    // Errors are shown next to the fields.
    onError: () => setReview(false),
  })
  return (
    <Modal
      title={isReview ? 'Delete these users?' : 'Delete users'}
      place="wide"
      isOpen
      onClose={onClose}
    >
      {isReview ? (
        <DeletionReview
          body={deletionBody(fields)}
          isBusy={start.isPending}
          onBack={() => setReview(false)}
          onConfirm={() => start.mutate()}
        />
      ) : (
        <DeletionForm
          fields={fields}
          error={start.error}
          onChange={setFields}
          onNext={() => setReview(true)}
          onClose={onClose}
        />
      )}
    </Modal>
  )
}
