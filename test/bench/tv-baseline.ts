/**
 * The page with which `test/bench/tv.ts` compares the TV page: the same board in React and ECharts, as one would usually write it. It reads
 * the same stream, shows the same machines with the same values, and draws the same trend. ECharts is bundled with only the parts that the
 * page uses. React and ECharts are not dependencies of this project: `npm i react@19 react-dom@19 echarts@6` in a folder of its own.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'vite';

const SOURCE = `
import { memo, useEffect, useRef, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { init, use } from 'echarts/core';
import { LineChart } from 'echarts/charts';
import { GridComponent } from 'echarts/components';
import { CanvasRenderer } from 'echarts/renderers';

use([LineChart, GridComponent, CanvasRenderer]);

function age(ms) {
  const s = Math.max(0, Math.round(ms / 1000));
  return s < 60 ? s + ' s' : s < 3600 ? Math.floor(s / 60) + ' min' : Math.floor(s / 3600) + ' h';
}

const Machine = memo(function Machine({ machine, now }) {
  const { primary } = machine;
  return (
    <article className={'tile ' + machine.live_status} data-fresh={machine.freshness}>
      <h2>{machine.unit_number}</h2>
      <p className="state">{machine.live_status === 'running' ? 'Running' : 'Idle'} {age(now - machine.live_since_ms)}</p>
      {machine.status === 'down' && <p className="down">Down</p>}
      {machine.stop_lamp && <p className="down">Red stop lamp</p>}
      {machine.dtc_active > 0 && <p className="codes">{machine.dtc_active} codes</p>}
      <p className="value"><b>{primary.text}</b> {primary.unit} <small>{primary.label}, {age(now - primary.as_of_ms)}</small></p>
      <div className="bar"><i style={{ width: Math.min(100, primary.value) + '%' }} /></div>
    </article>
  );
});

function Trend({ trend }) {
  const place = useRef(null);
  const chart = useRef(null);
  useEffect(() => {
    chart.current = init(place.current);
    return () => chart.current.dispose();
  }, []);
  useEffect(() => {
    chart.current.setOption({
      animation: false,
      grid: { left: 40, right: 10, top: 10, bottom: 30 },
      xAxis: { type: 'time' },
      yAxis: { type: 'value', scale: true },
      series: trend.lines.map((line) => ({
        type: 'line', name: line.label, showSymbol: false, data: line.t.map((t, i) => [t * 1000, line.v[i]]),
      })),
    });
  }, [trend]);
  return <div className="trend" ref={place} />;
}

function Wall() {
  const [snapshot, setSnapshot] = useState(null);
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const stream = new EventSource(location.pathname + '/live');
    stream.addEventListener('snapshot', (event) => setSnapshot(JSON.parse(event.data)));
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => { stream.close(); clearInterval(timer); };
  }, []);
  if (snapshot === null) return <main className="wait">Loading</main>;
  const [board] = snapshot.boards;
  const fleet = board.widgets.find(({ type }) => type === 'status_board');
  const trend = board.widgets.find(({ type }) => type === 'timeseries');
  return (
    <>
      <header><h1>{board.name}</h1><span>{snapshot.project.name}</span><time>{new Date(now).toLocaleTimeString()}</time></header>
      <main>
        <section>{fleet.data.machines.map((machine) => <Machine key={machine.id} machine={machine} now={now} />)}</section>
        <aside><h2>{trend.title}</h2><Trend trend={trend.data.trend} /></aside>
      </main>
    </>
  );
}

createRoot(document.getElementById('root')).render(<Wall />);
`;

const STYLE = `
*{margin:0;box-sizing:border-box}body{background:#10151a;color:#eef;font:20px system-ui}
header{display:flex;gap:2rem;padding:1rem;align-items:baseline}main{display:grid;grid-template-columns:3fr 1fr;gap:1rem;padding:1rem}
section{display:grid;grid-template-columns:repeat(6,1fr);gap:.75rem}.tile{background:#1b232b;border-radius:8px;padding:.75rem}
.running{border-left:6px solid #4c8}.idle{border-left:6px solid #cb5}.down{color:#f76}.bar{height:8px;background:#333}.bar i{display:block;height:8px;background:#59f}
.trend{height:400px}small{color:#9ab}`;

/** The files of the page: its HTML, which names the script `/baseline.js`, and the script. */
export interface Baseline {
  readonly html: string;
  readonly script: Buffer;
}

/** Builds the page with the packages of a folder. */
export async function buildBaseline(folder: string): Promise<Baseline> {
  const place = mkdtempSync(join(folder, 'page-'));
  try {
    writeFileSync(join(place, 'main.jsx'), SOURCE);
    await build({
      root: place,
      configFile: false,
      logLevel: 'error',
      oxc: { jsx: { runtime: 'automatic', importSource: 'react' } },
      define: { 'process.env.NODE_ENV': '"production"' },
      build: {
        outDir: join(place, 'out'),
        rolldownOptions: { input: join(place, 'main.jsx'), output: { entryFileNames: 'main.js' } },
      },
    });
    const script = readFileSync(join(place, 'out', 'main.js'));
    const html = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Baseline</title><style>${STYLE}</style><div id="root"></div><script type="module" src="/baseline.js"></script></html>`;
    return { html, script };
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}
