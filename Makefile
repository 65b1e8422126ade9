# make demo   set up, ask the robot a spoken question, hear its answer
# make test   set up, run every check
PYTHON ?= python3
KAME = .venv/bin/kame
RUN = .venv/bin/python
JAZZY = .venv-jazzy/bin/python
# What touches ROS runs on both distributions; the bridges, whose packages take minutes to generate, on Kilted.
ON_JAZZY = test/client test/docs test/examples test/installed test/nodes
# A Ctrl-C while Python itself starts would be a traceback; what is started so takes it when it can.
CALM = env --block-signal=INT
# Two workers, each with files of its own and one thread for its libraries: with more they wait for each other. One that
# crashes ends the tests: it would crash again.
WORKERS = --numprocesses=2 --dist=loadfile --no-loadscope-reorder --max-worker-restart=0

# Set by another ROS environment around us, it would keep ours from finding its own libraries.
unexport _ROS_WHEELS_BOOTSTRAP_COMPLETE

.PHONY: demo test python clean

# QUESTION=my.wav asks another question; MIC=1 talks with the sound card; LLM=1 answers with a small local language model.
demo: python
	@$(CALM) $(PYTHON) tools/setup.py run $(if $(MIC),device) $(if $(LLM),local)
	@$(CALM) $(KAME) demo $(if $(QUESTION),question:='$(subst ','\'',$(QUESTION))') $(if $(MIC),mic:=true) $(if $(LLM),backend:=local)

test: python
	@$(CALM) $(PYTHON) tools/setup.py run test cloud tandem jazzy
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
	.venv/bin/mypy
	.venv/bin/lint-imports
	OMP_NUM_THREADS=1 $(RUN) -m pytest $(WORKERS) $(TESTS)
	OMP_NUM_THREADS=1 $(JAZZY) -m pytest $(WORKERS) $(if $(TESTS),$(TESTS),$(ON_JAZZY))

python:
	@command -v $(PYTHON) >/dev/null \
	|| { [ "$(PYTHON)" = python3 ] && [ "$$(id -u)" = 0 ] && apt-get update -qq && apt-get install -y -qq python3; } \
	|| { echo "kame_ros setup: no $(PYTHON) here: install it (Debian: sudo apt-get install python3), or name another with PYTHON="; exit 1; }

clean:
	rm -rf build .venv .venv-jazzy
