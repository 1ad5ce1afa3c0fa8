import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { Status } from '../components/badge.tsx'
import { Button } from '../components/button.tsx'
import { Dialog } from '../components/dialog.tsx'
import { KeyValues } from '../components/key-values.tsx'
import { FailureNotice } from '../components/notice.tsx'
import { Skeleton } from '../components/skeleton.tsx'
import { toAmount } from '../plural.ts'
import { ReceiverAnswer } from './receiver-answer.tsx'

/** The outcome of a test delivery: the receiver's response, or the reason why there is none. */
type TestResult = {
  delivered: boolean
  status: number | null
  error: string | null
  answer: string
  milliseconds: number
}

const Outcome = ({ result: { delivered, status, error, answer, milliseconds } }: { result: TestResult }) => (
  <KeyValues
    items={[
      ['Outcome', <Status key="outcome" state={delivered ? 'delivered' : 'failed'} />],
      ['Status', status ?? 'no answer came'],
      ...(error === null ? [] : ([['Error', error]] as const)),
      ['Took', `${toAmount(milliseconds)} ms`],
      ['Answer', <ReceiverAnswer key="answer" text={answer} />],
    ]}
  />
)

type TestDialogProps = { url: string; send: () => Promise<TestResult>; onClose: () => void }

/** Sends one event of the type webhook.test when it opens, and shows the receiver's response. */
export const TestDialog = ({ url, send, onClose }: TestDialogProps) => {
  const { mutate, data, error, isPending } = useMutation({ mutationFn: send })
  const isSent = useRef(false)
  useEffect(() => {
    if (isSent.current) return
    isSent.current = true
    mutate()
  }, [mutate])
  return (
    <Dialog
      isOpen
      title="Test delivery"
      description={
        <>
          One signed event of type <code>webhook.test</code> to <code>{url}</code>. Its place in the stream stays the
          same.
        </>
      }
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Close</Button>
          <Button icon="refresh" isBusy={isPending} onClick={() => mutate()}>
            Send again
          </Button>
        </>
      }
    >
      <div aria-live="polite">
        {isPending && <Skeleton lines={4} />}
        <FailureNotice error={isPending ? null : error} />
        {data && !isPending && <Outcome result={data} />}
      </div>
    </Dialog>
  )
}
