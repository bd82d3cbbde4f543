/** Runs work after the browser has drawn a frame. */

/**
 * Calls `run` after the browser has drawn the next frame. A hidden page draws its next frame when it becomes visible. Returns a function
 * that cancels the call.
 */
export function afterPaint(run: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const frame = requestAnimationFrame(() => {
    // The browser calls this frame callback before it draws the frame. A timeout that starts here ends after the frame is drawn.
    timer = setTimeout(run, 0);
  });
  return () => {
    cancelAnimationFrame(frame);
    clearTimeout(timer);
  };
}
