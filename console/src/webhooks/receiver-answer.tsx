import '../styles/webhooks.css'

/** The start of the receiver's response, unchanged. */
export const ReceiverAnswer = ({ text }: { text: string }) =>
  text === '' ? <span className="muted">empty</span> : <code className="delivery-answer">{text}</code>
