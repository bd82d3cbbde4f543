/**
 * The two scripts of the pages for old TVs, as strings, so that the build does not change them. The oldest browsers that run them know only
 * ECMAScript 3.
 */

/**
 * Loads the page again and replaces its content. If the gateway does not answer, the content stays, and its style shows after some time that
 * it is old. A browser that loads the page itself would show an error page in this case, and would stay there.
 */
export const REFRESH = `(function () {
  function later(next) {
    var seconds = Number(next.getAttribute('data-seconds')) || 15;
    setTimeout(function () { load(next.getAttribute('data-next')); }, seconds * 1000);
  }
  function now() { return document.getElementById('screen'); }
  function load(url) {
    var request = new XMLHttpRequest(), done = false;
    function end(fresh) {
      var old = now();
      if (done) return;
      done = true;
      if (fresh) old.parentNode.replaceChild(document.importNode(fresh, true), old);
      later(now());
    }
    try {
      request.open('GET', url, true);
      request.responseType = 'document';
      request.timeout = 10000;
      request.onload = function () {
        var answer = request.response;
        end(answer && answer.getElementById ? answer.getElementById('screen') : null);
      };
      request.onerror = request.ontimeout = request.onabort = function () { end(null); };
      request.send();
    } catch (error) { end(null); }
  }
  later(now());
})();
`;

/**
 * Opens the page for old TVs if this browser is too old for the TV page. The TV page is built for Chromium 87; no browser that lacks this
 * method (Chromium 85) can run it.
 */
export const OLD = `if (!String.prototype.replaceAll) {
  location.replace('/tv/lite' + location.pathname.replace(/^\\/tv/, ''));
}
`;
